import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.keepdims.client.ApiClient;
import org.keepdims.client.ApiException;
import org.keepdims.client.api.ArgMinApi;
import org.keepdims.client.api.ReduceMaxApi;
import org.keepdims.client.api.ReduceMeanApi;
import org.keepdims.client.api.ReduceMinApi;
import org.keepdims.client.api.ReduceSumApi;
import org.keepdims.client.model.*;

/** Calls the service through the client that openapi-generator makes for Java. */
public final class Reduce {
    public static void main(String[] arguments) throws Exception {
        ApiClient client = new ApiClient();
        client.updateBaseUri(arguments[0]);
        Map<String, Object> answers = new LinkedHashMap<>();

        ReduceMinV12RequestData rows = new ReduceMinV12RequestData(new ReduceMinV12Values()
            .dtype(ReduceMinV12Values.DtypeEnum.INT8)
            .values(List.of(List.of(3, 1, 2), List.of(9, 7, -8))));
        ReduceMinApi reduceMin = new ReduceMinApi(client);
        answers.put("reduce_min", reduceMin.reduceMinV12(
            new ReduceMinV12Request().data(rows).axes(List.of(1)).keepdims(0)).getReduced());

        ReduceSumV11RequestData terms = new ReduceSumV11RequestData(new ReduceSumV11Values()
            .dtype(ReduceSumV11Values.DtypeEnum.FLOAT32)
            .values(List.of(List.of(1e8, 1, -1e8), List.of(0.5, 0.25, 0.125))));
        ReduceSumApi reduceSum = new ReduceSumApi(client);
        answers.put("reduce_sum", reduceSum.reduceSumV11(
            new ReduceSumV11Request().data(terms).axes(List.of(-1))).getReduced());

        ArgMinV12RequestData found = new ArgMinV12RequestData(new ArgMinV12Values()
            .dtype(ArgMinV12Values.DtypeEnum.FLOAT64)
            .values(List.of(List.of(2, 1, 1), List.of(0, 5, 0))));
        answers.put("arg_min", new ArgMinApi(client).argMinV12(
            new ArgMinV12Request().data(found).axis(1).keepdims(0).selectLastIndex(1)).getReduced());

        ObjectMapper mapper = client.getObjectMapper();
        try {
            reduceMin.reduceMinV12(new ReduceMinV12Request().data(rows).axes(List.of(3)));
        } catch (ApiException refused) {
            answers.put("error", mapper.readValue(refused.getResponseBody(), Problem.class));
        }

        ReduceMaxApi reduceMax = new ReduceMaxApi(client);
        ReduceMaxV13RequestData unordered = new ReduceMaxV13RequestData(new ReduceMaxV13Values()
            .dtype(ReduceMaxV13Values.DtypeEnum.FLOAT32).values(List.of(1, "NaN", "-Infinity")));
        answers.put("nan", reduceMax.reduceMaxV13(new ReduceMaxV13Request().data(unordered)).getReduced());

        ReduceMaxV20RequestData wide = new ReduceMaxV20RequestData(new ReduceMaxV20Values()
            .dtype(ReduceMaxV20Values.DtypeEnum.INT64).values(List.of(9007199254740993L, 7)));
        answers.put("int64", reduceMax.reduceMaxV20(new ReduceMaxV20Request().data(wide)).getReduced());
        AnswerOptions asText = new AnswerOptions().integers(AnswerOptions.IntegersEnum.STRING);
        answers.put("int64 as text", reduceMax.reduceMaxV20(
            new ReduceMaxV20Request().data(wide).answer(asText)).getReduced());

        answers.put("scalar", reduceSum.reduceSumV13(new ReduceSumV13Request().data(new ReduceSumV13RequestData(
            new ReduceSumV13Values().dtype(ReduceSumV13Values.DtypeEnum.FLOAT32).shape(List.of()).values(2.5)
        ))).getReduced());
        answers.put("empty", reduceSum.reduceSumV13(new ReduceSumV13Request().axes(List.of(0)).data(
            new ReduceSumV13RequestData(new ReduceSumV13Values()
                .dtype(ReduceSumV13Values.DtypeEnum.FLOAT32).shape(List.of(0L, 3L)).values(List.of()))
        )).getReduced());

        ReduceMeanV13Base64 packed = new ReduceMeanV13Base64().dtype(ReduceMeanV13Base64.DtypeEnum.FLOAT32)
            .shape(List.of(2L, 3L)).base64(java.util.Base64.getDecoder().decode("AABAQAAAgD8AAABAAAAQQQAA4EAAAABB"));
        answers.put("base64", new ReduceMeanApi(client).reduceMeanV13(new ReduceMeanV13Request()
            .data(new ReduceMeanV13RequestData(packed)).axes(List.of(0)).keepdims(0)).getReduced());

        System.out.println(mapper.writeValueAsString(answers));
    }
}

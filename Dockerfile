ARG PYTHON_IMAGE=python:3.13-slim

FROM ${PYTHON_IMAGE} AS build
WORKDIR /keepdims
COPY requirements.lock .
# The environment needs no pip of its own: the image's installs into it.
RUN python -m venv --without-pip venv \
    && python -m pip --python venv/bin/python install --no-cache-dir --disable-pip-version-check \
        --require-hashes --requirement requirements.lock
COPY app app
# A read-only container cannot write bytecode when it starts.
RUN python -m compileall -q app

FROM ${PYTHON_IMAGE}
COPY --from=build /keepdims /keepdims
WORKDIR /keepdims
# Threads are the kernels' business (KEEPDIMS_KERNEL_THREADS); the pool of NumPy's linear algebra would stand idle.
ENV PATH=/keepdims/venv/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    OPENBLAS_NUM_THREADS=1 \
    KEEPDIMS_HOST=0.0.0.0 \
    KEEPDIMS_PORT=8000
USER 10001:10001
EXPOSE 8000
HEALTHCHECK --interval=5s --timeout=3s --start-period=30s \
    CMD ["python", "-c", "import http.client, os; c = http.client.HTTPConnection('127.0.0.1', int(os.environ['KEEPDIMS_PORT']), timeout=2); c.request('GET', '/health/live'); raise SystemExit(c.getresponse().status != 200)"]
CMD ["python", "-m", "app"]

ARG PYTHON_IMAGE=python:3.13-slim

FROM ${PYTHON_IMAGE} AS build
WORKDIR /keepdims
COPY requirements.lock .
# The environment needs no pip of its own: the image's installs into it.
RUN python -m venv --without-pip venv \
    && python -m pip --python venv/bin/python install --no-cache-dir --disable-pip-version-check \
        --require-hashes --requirement requirements.lock
# What only compilers, type checkers and tests read, and the symbols for debuggers that two wheels come with: a third of it.
# hadolint ignore=DL3008
RUN find venv/lib -depth \( -type d \( -name tests -o -path '*/numpy/f2py' \) -o -type f \
        \( -name '*.py[ixd]' -o -name '*.[ach]' -o -name '*.cpp' \) \) -exec rm -r {} + \
    && apt-get update && apt-get install --yes --no-install-recommends binutils \
    && strip --strip-unneeded venv/lib/python*/site-packages/csimdjson.*.so venv/lib/python*/site-packages/uvloop/*.so
COPY LICENSE .
COPY app app
# A read-only container cannot write bytecode when it starts.
RUN python -m compileall -q app

FROM ${PYTHON_IMAGE}
COPY --from=build /keepdims /keepdims
WORKDIR /keepdims
ENV PATH=/keepdims/venv/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    KEEPDIMS_HOST=0.0.0.0 \
    KEEPDIMS_PORT=8000
USER 10001:10001
EXPOSE 8000
HEALTHCHECK --interval=5s --timeout=3s --start-period=30s \
    CMD ["python", "-c", "import http.client, os; c = http.client.HTTPConnection('127.0.0.1', int(os.environ['KEEPDIMS_PORT']), timeout=2); c.request('GET', '/health/live'); raise SystemExit(c.getresponse().status != 200)"]
CMD ["python", "-m", "app"]

# Works offline once built: docker build -t edgeproof . && docker run --rm --network none edgeproof demo
FROM python:3.12-slim
WORKDIR /opt/edgeproof
COPY pyproject.toml README.md LICENSE ./
COPY src src
COPY tests tests
COPY docs docs
COPY tools tools
COPY benchmarks benchmarks
RUN pip install --no-cache-dir '.[test]'
# compiled while the image is built, for the processor that it is built on
ENV EDGEPROOF_CACHE=/opt/edgeproof/.kernels
RUN edgeproof demo --json > /dev/null
WORKDIR /work
ENTRYPOINT ["edgeproof"]
CMD ["--help"]

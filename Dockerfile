# Works offline once built: docker build -t edgeproof . && docker run --rm --network none edgeproof demo
FROM python:3.12-slim
WORKDIR /opt/edgeproof
COPY . .
RUN pip install --no-cache-dir '.[test]'
# compiled while the image is built, for the processor that it is built on; any user may run it (--user) and add to it
ENV EDGEPROOF_CACHE=/opt/edgeproof/.kernels
RUN edgeproof warm
RUN chmod -R a+rwX /opt/edgeproof
WORKDIR /work
ENTRYPOINT ["edgeproof"]
CMD ["--help"]

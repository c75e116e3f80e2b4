# Saniwa's server. Build: docker build -t saniwa .   Guide: docs/guide/installing.md
FROM python:3.13-slim AS wheel
RUN apt-get update && apt-get install --yes --no-install-recommends make
WORKDIR /source
COPY . .
RUN make wheel

FROM python:3.13-slim
COPY --from=wheel /source/dist/*.whl /tmp/
RUN pip install --no-cache-dir "$(echo /tmp/*.whl)[serve,postgres,mcp]" && rm /tmp/*.whl
RUN useradd --create-home --uid 1000 saniwa && mkdir /garden && chown saniwa /garden
USER saniwa
WORKDIR /garden
VOLUME /garden
EXPOSE 8420
ENTRYPOINT ["saniwa"]
CMD ["serve", "--no-open", "--host", "0.0.0.0", "--port", "8420"]

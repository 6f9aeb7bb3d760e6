# docker build -t guildmoot . && docker run --rm -u "$(id -u):$(id -g)" -v "$PWD:/work" guildmoot validate .
FROM python:3.13-slim
# Any git of the base image will do.
# hadolint ignore=DL3008
RUN apt-get update \
 && apt-get install -y --no-install-recommends git \
 && rm -rf /var/lib/apt/lists/*
COPY pyproject.toml README.md LICENSE /src/
COPY docs/guild.1 /src/docs/guild.1
COPY src /src/src
RUN pip install --no-cache-dir "/src[tools]" \
 && git config --system --add safe.directory /work
# Whoever starts it (-u) writes the record into the folder that is judged, and needs a home of some kind.
ENV HOME=/tmp
USER 1000:1000
WORKDIR /work
ENTRYPOINT ["guild"]
CMD ["validate"]

# docker build -t guildmoot . && docker run --rm -v "$PWD:/work" guildmoot validate .
FROM python:3.13-slim
RUN apt-get update \
 && apt-get install -y --no-install-recommends git \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --create-home guild
COPY pyproject.toml README.md LICENSE /src/
COPY docs/guild.1 /src/docs/guild.1
COPY src /src/src
RUN pip install --no-cache-dir "/src[tools]" \
 && git config --system --add safe.directory /work
USER guild
WORKDIR /work
ENTRYPOINT ["guild"]
CMD ["validate"]

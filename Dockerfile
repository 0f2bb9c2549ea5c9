# Build stage: links everything statically, except SQLite and libsodium.
FROM swift:6.2-bookworm AS build
RUN apt-get update -q \
    && apt-get install -y -q --no-install-recommends libsqlite3-dev libsodium-dev pkg-config \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /humon
COPY Package.swift ./
COPY Plugins Plugins
COPY Sources Sources
COPY migrations migrations
COPY pages pages
# The manifest contains the test targets, so their folders must exist.
COPY Tests Tests
RUN swift build -c release --product humon --static-swift-stdlib -Xlinker -s \
    && cp "$(swift build -c release --product humon --static-swift-stdlib -Xlinker -s --show-bin-path)/humon" /usr/local/bin/humon

# Run stage: the same Debian with three libraries, the time zones and one binary, without root. libpq
# is only loaded for a PostgreSQL database.
FROM debian:bookworm-slim
RUN apt-get update -q \
    && apt-get install -y -q --no-install-recommends libsqlite3-0 libsodium23 libpq5 tzdata \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --system --uid 10001 --no-create-home --shell /usr/sbin/nologin humon \
    && install -d -o humon -g humon -m 0700 /data
COPY --from=build /usr/local/bin/humon /usr/local/bin/humon
USER humon
WORKDIR /data
ENV HOST=0.0.0.0 PORT=3000 ADMIN_PORT=3001 DATABASE_URL=sqlite:///data/humon.sqlite3 LOG_FORMAT=json
VOLUME /data
EXPOSE 3000
# bash opens the socket itself, so that the image needs no curl.
HEALTHCHECK --interval=30s --timeout=5s --start-period=5s CMD ["bash", "-c", \
    "exec 3<>/dev/tcp/127.0.0.1/$ADMIN_PORT && printf 'GET /readyz HTTP/1.0\\r\\n\\r\\n' >&3 && read -r -t 4 line <&3 && [[ $line == 'HTTP/1.1 200 '* ]]"]
# Applies pending migrations first. Set TB_APP_SECRET, or TB_APP_SECRET_FILE to a mounted secret.
CMD ["bash", "-c", "humon migrate && exec humon serve"]

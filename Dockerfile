# Build stage: the program with everything linked in, and the files that it needs at run time.
# bin/package makes the same files without Docker.
FROM swift:6.2-bookworm AS build
RUN apt-get update -q \
    && apt-get install -y -q --no-install-recommends \
        libsqlite3-dev libsodium-dev libutf8proc-dev libpq5 libcurl4 tzdata ca-certificates pkg-config python3 \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /humon
COPY Package.swift LICENSE ./
COPY Plugins Plugins
COPY Sources Sources
COPY migrations migrations
COPY pages pages
# The manifest contains the test targets, so their folders must exist.
COPY Tests Tests
COPY bin bin
COPY packaging packaging
# The version is unknown without git: docker build --build-arg HUMON_VERSION=0.2.0
ARG HUMON_VERSION=0.0.0-dev
ARG HUMON_COMMIT=
ARG HUMON_REPOSITORY=
RUN bin/package root /image

# The image: no shell and no package manager, only the program, libpq and libcurl with their
# libraries, time zones and certificates. bin/package reads these lines, too.
FROM scratch
COPY --from=build /image/root /
# /data belongs to the user humon, and nobody else can read it.
COPY --from=build --chown=10001:10001 /image/volume /
USER 10001
WORKDIR /data
ENV PATH=/usr/bin HOST=0.0.0.0 PORT=3000 ADMIN_HOST=0.0.0.0 ADMIN_PORT=3001 DATABASE_URL=sqlite:///data/humon.sqlite3 LOG_FORMAT=json RUN_AS=10001:10001
VOLUME /data
EXPOSE 3000 3001
HEALTHCHECK --interval=30s --timeout=5s --start-period=5s CMD ["/usr/bin/humon", "health"]
# Applies pending migrations first. Set TB_APP_SECRET, or TB_APP_SECRET_FILE to a mounted secret.
CMD ["/usr/bin/humon", "serve"]

# The Postgres outside of the release: Debian's own, as a user that is not root.
FROM debian:bookworm-slim
RUN apt-get update \
 && apt-get install --yes --no-install-recommends postgresql-15 \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --uid 10002 --no-create-home owner
COPY start-postgres.sh /start-postgres.sh
ENV PATH=/usr/lib/postgresql/15/bin:/usr/local/bin:/usr/bin:/bin PGDATA=/data/postgres
# At once: it would wait for every client to leave otherwise.
STOPSIGNAL SIGINT
ENTRYPOINT ["/bin/sh", "/start-postgres.sh"]

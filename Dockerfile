# Each image below is named by its tag and by its digest, so that the same sources give the same image.
# Dependabot proposes newer digests (.github/dependabot.yml); by hand: docker buildx imagetools inspect TAG.

# The page: built with the development packages, which stay behind.
FROM node:24-bookworm-slim@sha256:2fe369e969550cde8e867afc3fe370b260140cab4a23d467074295b42163d553 AS page
# Where the registry of packages is reached through a proxy with a certificate of its own.
ARG NODE_EXTRA_CA_CERTS
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY tsconfig.json vite.config.ts ./
COPY src src
RUN NODE_ENV=production npm run build:web

# Production packages only. The embedded Postgres and the Node binaries of the package registry are
# optional dependencies: a cluster brings its own Postgres, the base image its Node.
FROM node:24-bookworm-slim@sha256:2fe369e969550cde8e867afc3fe370b260140cab4a23d467074295b42163d553 AS packages
ARG NODE_EXTRA_CA_CERTS
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY scripts/image/sbom.ts scripts/image/
RUN npm ci --omit=dev --omit=optional \
 && node scripts/image/sbom.ts package.json node_modules/.package-lock.json > sbom.cdx.json \
 # What is for people and for compilers: two fifths of the packages.
 && find node_modules -type f \( -name '*.map' -o -name '*.md' \
      -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' \) -delete

# Debian and the Node program alone: its headers and package managers, two thirds of the image above,
# are nothing to a server.
FROM debian:bookworm-slim@sha256:3783cc01769c7b2b1b83a5c5ad96c815348e28ed7da68e2e3687004faa906251
ARG VERSION=0.1.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="Concordat" \
      org.opencontainers.image.description="A data contract registry" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.base.name="docker.io/library/debian:bookworm-slim"
# Repositories of contracts are read by git, over https or ssh, which knows nobody who stands in no
# passwd file.
RUN apt-get update \
 && apt-get install --yes --no-install-recommends ca-certificates git libstdc++6 openssh-client \
 && rm -rf /var/lib/apt/lists/* /var/cache/apt/* /var/log/* \
 && useradd --uid 10001 --user-group --no-create-home --home-dir /nonexistent \
      --shell /usr/sbin/nologin concordat
WORKDIR /app
COPY --from=packages /usr/local/bin/node /usr/local/bin/node
COPY --from=packages /app/node_modules node_modules
# What is in it, for whoever looks for a vulnerable package.
COPY --from=packages /app/sbom.cdx.json sbom.cdx.json
COPY --from=page /app/dist/web dist/web
COPY package.json ./
COPY bin bin
# The guide that the server shows.
COPY docs docs
COPY src src
RUN ln -s /app/bin/concordat.js /usr/local/bin/concordat
# Numeric, so that Kubernetes can see that it is not root. Nothing below /app is its own: all that
# is written goes to DATA_DIR and /tmp, so that the root may be read-only.
USER 10001:10001
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 DATA_DIR=/tmp/concordat
# The pieces of a large body go back to the system when they are freed; glibc would learn to keep them.
ENV MALLOC_MMAP_THRESHOLD_=262144
EXPOSE 8080 9443
# Node is process 1 and hears SIGTERM itself; git is waited for by who starts it. Left alone, Node 24
# holds up to 128 MiB of what is young; here it is 64 (docs/decisions/image.md).
ENTRYPOINT ["node", "--max-semi-space-size=32", "/app/bin/concordat.js"]
CMD ["serve"]

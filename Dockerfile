# The page: built with the development packages, which stay behind.
FROM node:24-bookworm-slim AS page
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY tsconfig.json vite.config.ts ./
COPY src src
RUN NODE_ENV=production npm run build:web

# Production packages only. The embedded Postgres and the Node binaries of the package registry are
# optional dependencies: a cluster brings its own Postgres, the base image its Node.
FROM node:24-bookworm-slim AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --omit=optional && npm cache clean --force

FROM node:24-bookworm-slim
LABEL org.opencontainers.image.title="Concordat" \
      org.opencontainers.image.description="A data contract registry" \
      org.opencontainers.image.licenses="Apache-2.0"
WORKDIR /app
COPY --from=packages /app/node_modules node_modules
COPY --from=page /app/dist/web dist/web
COPY package.json ./
COPY src src
# Numeric, so that Kubernetes can see that it is not root.
USER 10001:10001
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080
EXPOSE 8080
ENTRYPOINT ["node", "/app/src/main.ts"]
CMD ["serve"]

# The server in a container. It is built with position independence, because others may reach it (docs/adr/0002).
#   docker build --tag scratchpad-mcp . && docker run --rm --interactive --volume scratchpad:/data scratchpad-mcp
# speaks MCP on stdin and stdout; compose.yaml serves it over HTTP for a team.
FROM rust:1.95-bookworm AS build
WORKDIR /source
COPY . .
RUN cargo build --release --locked --package scratchpad-mcp && mkdir /empty

FROM gcr.io/distroless/cc-debian12:nonroot
LABEL io.modelcontextprotocol.server.name="io.github.OWNER/scratchpad" \
      org.opencontainers.image.source="https://github.com/OWNER/scratchpad" \
      org.opencontainers.image.description="Working memory of AI coding agents" \
      org.opencontainers.image.licenses="MIT OR Apache-2.0"
COPY --from=build /source/target/release/scratchpad /usr/local/bin/scratchpad
COPY --from=build --chown=65532:65532 /empty /data
COPY --from=build --chown=65532:65532 /empty /project
ENV SCRATCHPAD_HOME=/data
VOLUME /data
WORKDIR /project
USER 65532:65532
ENTRYPOINT ["/usr/local/bin/scratchpad"]
CMD ["mcp"]

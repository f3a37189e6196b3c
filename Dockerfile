FROM golang:1.26 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG VERSION=
RUN CGO_ENABLED=0 go build -trimpath -ldflags "-s -w -X main.stamp=${VERSION}" -o /out/leadline ./cmd/leadline \
 && mkdir -p /out/data

FROM gcr.io/distroless/static:nonroot
LABEL org.opencontainers.image.title="leadline" \
      org.opencontainers.image.description="Tells when the answers of a RAG service get worse although nobody shipped a change" \
      org.opencontainers.image.licenses="Apache-2.0"
COPY --from=build /out/leadline /leadline
COPY --from=build --chown=65532:65532 /out/data /data
USER 65532:65532
WORKDIR /data
VOLUME /data
ENV LEADLINE_CONFIG=/etc/leadline/leadline.yaml
EXPOSE 8480 9480
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s CMD ["/leadline", "health"]
ENTRYPOINT ["/leadline"]
CMD ["run"]

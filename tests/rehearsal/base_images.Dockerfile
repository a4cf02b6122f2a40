# Stand-ins for the images that deploy/Dockerfile and docker-compose.yml take from registries; see
# base_images.py. What a real one has and a stand-in lacks, no rehearsal finds out: Python is 3.11 here,
# and Caddy is Debian's.

FROM localhost/debian AS base
# Certificates of this machine: it may reach its package registries through a proxy of its own.
COPY ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
ENV PIP_CERT=/etc/ssl/certs/ca-certificates.crt NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt
WORKDIR /

FROM base AS python
RUN apt-get install --yes -qq --no-install-recommends python3 python3-venv \
    && ln -s python3 /usr/bin/python
CMD ["python3"]

FROM base AS node
COPY node /usr/bin/node
COPY npm /usr/lib/node_modules/npm
RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/bin/npm

# Alpine's `adduser` is BusyBox's, whose options Debian's does not know. The original has no user yet,
# and may bind ports below 1024.
FROM base AS caddy
RUN apt-get install --yes -qq --no-install-recommends caddy libcap2-bin \
    && userdel caddy \
    && setcap cap_net_bind_service=+ep /usr/bin/caddy
COPY --chmod=755 adduser /usr/sbin/adduser
CMD ["caddy", "run", "--config", "/etc/caddy/Caddyfile", "--adapter", "caddyfile"]

FROM base AS valkey
RUN apt-get install --yes -qq --no-install-recommends redis-tools \
    && ln -s redis-cli /usr/bin/valkey-cli \
    && useradd --system --uid 999 valkey \
    && install --directory --owner valkey --group valkey /data
COPY valkey-server /usr/bin/valkey-server
VOLUME /data
WORKDIR /data
CMD ["valkey-server"]

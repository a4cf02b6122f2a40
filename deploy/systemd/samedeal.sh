#!/bin/sh
# The command samedeal with the settings of the nodes, for root.
set -a
. /etc/samedeal/node.env
SAMEDEAL_REDIS_PASSWORD_FILE=/etc/samedeal/secrets/redis-samedeal
SAMEDEAL_SECRET_KEY_FILE=/etc/samedeal/secrets/secret-keys
exec /opt/samedeal/venv/bin/samedeal "$@"

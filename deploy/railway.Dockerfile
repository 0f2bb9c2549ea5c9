# Humon with SQLite on Railway: what railway.json builds, because the host rejects the Dockerfile of the project
# for its VOLUME. Add a volume at /data and these variables to the service, and name deploy/railway.json as its
# config file:
#
#     TB_APP_SECRET      a secret from `openssl rand -hex 32`
#     RAILWAY_RUN_UID    0, because volumes belong to root there. Humon changes to user 10001 itself (RUN_AS).
#
# Written from https://docs.railway.com/config-as-code/reference and https://docs.railway.com/reference/volumes,
# and not tried on the host itself.
FROM REGISTRY/OWNER/humon:0.3.0
# Only the host's proxy reaches the port for apps.
ENV TRUSTED_PROXIES=10.0.0.0/8,172.16.0.0/12,100.64.0.0/10,fc00::/7 BACKUP_SCHEDULE=03:00

#!/usr/bin/env bash
# deploy.sh REF: builds the image of a ref and rolls it out.
set -euo pipefail

ref=${1:?usage: deploy.sh REF}
image="registry.example.org/service:$(git rev-parse --short "$ref")"
docker build --tag "$image" .
docker push "$image"
kubectl set image deployment/service "service=$image"
kubectl rollout status deployment/service --timeout=300s

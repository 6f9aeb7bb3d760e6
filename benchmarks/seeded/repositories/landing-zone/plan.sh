#!/bin/sh
set -eu

terraform init -input=false
code=0
terraform plan -input=false -detailed-exitcode -out=plan.bin || code=$?
case $code in
  0) echo "changed=false" >> "$GITHUB_OUTPUT" ;;
  2) echo "changed=true" >> "$GITHUB_OUTPUT" ;;
  *) exit "$code" ;;
esac

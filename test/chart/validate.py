"""Reads a JSON list of manifests, answers a JSON list of what is wrong with each; null: unknown."""

import functools
import json
import sys

import kubernetes_validate
from kubernetes_validate import utils

# It reads the definitions again for each manifest.
utils.schema_contents = functools.cache(utils.schema_contents)
utils.all_versions = functools.cache(utils.all_versions)

version = sys.argv[1]
answers = []
for manifest in json.load(sys.stdin):
    try:
        kubernetes_validate.validate(manifest, version, strict=True)
        answers.append("")
    except kubernetes_validate.SchemaNotFoundError:
        answers.append(None)
    except kubernetes_validate.ValidationError as error:
        path = ".".join(str(part) for part in error.path)
        answers.append(f"{path}: {error.message}"[:500])
json.dump(answers, sys.stdout)

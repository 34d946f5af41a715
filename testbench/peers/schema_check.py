"""Checks TOML files against a JSON Schema: one line of JSON a file, the paths of what is wrong."""

import json
import sys
import tomllib

import jsonschema


def main(schema_file, *files):
    with open(schema_file, encoding="utf-8") as file:
        schema = json.load(file)
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    for name in files:
        with open(name, "rb") as file:
            instance = tomllib.load(file)
        paths = [[*error.absolute_path] for error in validator.iter_errors(instance)]
        print(json.dumps({"file": name, "faults": [".".join(map(str, path)) for path in paths]}))


if __name__ == "__main__":
    main(*sys.argv[1:])

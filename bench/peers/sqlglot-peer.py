"""PyPI sqlglot, one question a line: which columns of which tables a query reads.

`named` has the columns that a query names anywhere, with each `*` written out. `used` has those that
are left once parts that nobody uses are taken away, and what no outer query asks for.
"""

import json
import sys
import time

from sqlglot import exp, parse_one
from sqlglot.optimizer.eliminate_ctes import eliminate_ctes
from sqlglot.optimizer.pushdown_projections import pushdown_projections
from sqlglot.optimizer.qualify import qualify
from sqlglot.optimizer.scope import traverse_scope
from sqlglot.schema import MappingSchema


def columns_of(tree):
    found = set()
    for scope in traverse_scope(tree):
        for column in scope.columns:
            source = scope.sources.get(column.table)
            if isinstance(source, exp.Table):
                parts = [source.catalog, source.db, source.name]
                name = ".".join(part for part in parts if part)
                found.add((name.lower(), column.name.lower()))
    return sorted(found)


schemas = {}


def schema_of(key, tables, dialect):
    if key not in schemas:
        nested = {}
        for name, columns in tables.items():
            *path, last = name.split(".")
            at = nested
            for part in path:
                at = at.setdefault(part, {})
            at[last] = {column: "text" for column in columns}
        schemas[key] = MappingSchema(nested, dialect=dialect)
    return schemas[key]


def answer(question):
    dialect = question["dialect"]
    schema = schema_of(question["of"], question["tables"], dialect)
    start = time.process_time()
    try:
        parsed = parse_one(question["sql"], dialect=dialect)
        for exists in parsed.find_all(exp.Exists):
            if isinstance(exists.this, exp.Select):
                # Only rows are asked for, whatever is selected.
                exists.this.select("1", append=False, copy=False)
        tree = qualify(
            parsed,
            schema=schema,
            dialect=dialect,
            validate_qualify_columns=False,
            quote_identifiers=False,
        )
        named = columns_of(tree)
        used = columns_of(pushdown_projections(eliminate_ctes(tree), schema=schema))
        return {"named": named, "used": used, "seconds": time.process_time() - start}
    except Exception as error:  # whatever it cannot read, nothing is compared with
        return {"error": str(error)[:200]}


sys.setrecursionlimit(100_000)
tables = {}
for line in sys.stdin:
    question = json.loads(line)
    if "tables" in question:
        tables[question["of"]] = question["tables"]
    question["tables"] = tables[question["of"]]
    sys.stdout.write(json.dumps(answer(question)) + "\n")

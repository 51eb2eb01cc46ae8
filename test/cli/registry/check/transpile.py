# Reads queries of a dialect, a JSON a line, and writes them as DuckDB has them: by sqlglot, whose
# folder is on PYTHONPATH.
import json
import sys

from sqlglot import ErrorLevel, exp, parse_one

for line in sys.stdin:
    asked = json.loads(line)
    try:
        tree = parse_one(asked["sql"], read=asked["dialect"], error_level=ErrorLevel.RAISE)
        # A stand-in has no collations, and NUMERIC of BigQuery has its own size.
        tree = tree.transform(lambda node: node.this if isinstance(node, exp.Collate) else node)
        if asked["dialect"] == "bigquery":
            for kind in tree.find_all(exp.DataType):
                if kind.this == exp.DataType.Type.DECIMAL and not kind.expressions:
                    kind.replace(exp.DataType.build("DECIMAL(38, 9)"))
        answer = {"sql": tree.sql(dialect="duckdb")}
    except Exception as error:
        answer = {"error": str(error)}
    print(json.dumps(answer), flush=True)

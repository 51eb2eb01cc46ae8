# Reads queries of a dialect, a JSON a line, and writes them as DuckDB has them: by sqlglot, whose
# folder is on PYTHONPATH.
import json
import logging
import sys

from sqlglot import ErrorLevel, exp, parse_one

# It warns of parts that DuckDB has not; what becomes of them is counted.
logging.disable(logging.WARNING)

written = exp.Literal.string("%Y-%m-%dT%H:%M:%S.%fZ")


def with_text_of_times(node):
    """sqlglot loses the format of Snowflake, and a stand-in of Trino the zeros at the end."""
    if isinstance(node, (exp.ToChar, exp.TimeToStr)) and "s" in str(node.args["format"]).lower():
        return exp.func("strftime", node.this, written)
    if isinstance(node, exp.Cast) and node.to.is_type(exp.DataType.Type.VARCHAR):
        inner = node.this
        if isinstance(inner, exp.Cast) and inner.to.is_type(exp.DataType.Type.TIMESTAMP):
            return exp.func("strftime", inner, exp.Literal.string("%Y-%m-%d %H:%M:%S.%f"))
    return node


for line in sys.stdin:
    asked = json.loads(line)
    try:
        tree = parse_one(asked["sql"], read=asked["dialect"], error_level=ErrorLevel.RAISE)
        # A stand-in has no collations, and NUMERIC of BigQuery has its own size.
        tree = tree.transform(lambda node: node.this if isinstance(node, exp.Collate) else node)
        if asked["dialect"] != "bigquery":
            tree = tree.transform(with_text_of_times)
        else:
            for kind in tree.find_all(exp.DataType):
                if kind.this == exp.DataType.Type.DECIMAL and not kind.expressions:
                    kind.replace(exp.DataType.build("DECIMAL(38, 9)"))
        answer = {"sql": tree.sql(dialect="duckdb")}
    except Exception as error:
        answer = {"error": str(error)}
    print(json.dumps(answer), flush=True)

"""The queries of TPC-H and TPC-DS as sqlglot's own tests have them, with the columns of their tables."""

import json
import sys

sys.path.insert(0, sys.argv[1])
from tests.helpers import TPCDS_SCHEMA, TPCH_SCHEMA, load_sql_fixture_pairs  # noqa: E402

for suite, schema in (("tpc-h", TPCH_SCHEMA), ("tpc-ds", TPCDS_SCHEMA)):
    tables = {name: list(columns) for name, columns in schema.items()}
    pairs = load_sql_fixture_pairs(f"optimizer/{suite}/{suite}.sql")
    queries = [sql for _, sql, _ in pairs]
    print(json.dumps({"suite": suite, "tables": tables, "queries": queries}))

# Answers the queries of a check as fakesnow does, which stands in for Snowflake: a JSON a line, with
# statements to run and a query to answer.
import json
import sys

import fakesnow

with fakesnow.patch():
    import snowflake.connector

    with snowflake.connector.connect(database="law", schema="public") as connection:
        cursor = connection.cursor()
        for line in sys.stdin:
            asked = json.loads(line)
            try:
                for statement in asked["statements"]:
                    cursor.execute(statement)
                cursor.execute(asked["query"])
                names = [column.name for column in cursor.description]
                rows = [dict(zip(names, row)) for row in cursor.fetchall()]
                answer = {"rows": rows}
            except Exception as error:
                answer = {"error": str(error)}
            print(json.dumps(answer, default=float), flush=True)

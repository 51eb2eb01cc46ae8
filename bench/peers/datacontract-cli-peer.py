# Asks datacontract-cli about contracts that name their data, one JSON answer a line.
import json
import sys

from datacontract.data_contract import DataContract

for path in sys.argv[1:]:
    try:
        run = DataContract(data_contract_file=path, server="local").test()
        failed = [check.name for check in run.checks if check.result == "failed"]
        answer = {"path": path, "result": str(getattr(run.result, "value", run.result)), "failed": failed}
    except Exception as error:
        answer = {"path": path, "result": "error", "failed": [], "error": str(error)[:300]}
    print(json.dumps(answer), flush=True)

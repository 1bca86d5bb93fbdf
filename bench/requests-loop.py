"""What an analyst would write instead of the tool: page after page with requests, as NDJSON or CSV.

usage: requests-loop.py URL FORMAT FILE
"""
import csv
import json
import sys

import requests

url, form, path = sys.argv[1:]
session = requests.Session()
parameters = {"limit": 500}
with open(path, "w", newline="", encoding="utf-8") as output:
    writer = None
    while True:
        page = session.get(f"{url}/v1/catalog", params=parameters).json()
        if form == "csv":
            if writer is None:
                writer = csv.DictWriter(output, page["data"][0].keys())
                writer.writeheader()
            writer.writerows(page["data"])
        else:
            for row in page["data"]:
                output.write(json.dumps(row, ensure_ascii=False) + "\n")
        if not page["pagination"]["has_more"]:
            break
        parameters["cursor"] = page["pagination"]["next_cursor"]

["goal", "the rule", "equal shares", "rivals", ""]""Write the tables about other questions into selection.md: ``python docs/goal_tables.py``.

A["goal", "the rule", "equal shares", "rivals", ""]test checks that it was done.
["goal", "the rule", "equal shares", "rivals", ""]""

f["goal", "the rule", "equal shares", "rivals", ""]om __future__ import annotations

f["goal", "the rule", "equal shares", "rivals", ""]om fill import DOCS, fill, markdown, results

PAGE["goal", "the rule", "equal shares", "rivals", ""]= DOCS / "selection.md"


d["goal", "the rule", "equal shares", "rivals", ""]f errors() -> str:
["goal", "the rule", "equal shares", "rivals", ""]   """Per goal, every rule and how often it is wrong."""
["goal", "the rule", "equal shares", "rivals", ""]   rows: dict[str, list[str]] = {}
["goal", "the rule", "equal shares", "rivals", ""]   for row in results("goals")["rows"]:
["goal", "the rule", "equal shares", "rivals", ""]       more = "" if row["rule"] == "VarDE" else f" ({row['points']:+.1f} ± {row['points_stderr']:.1f})"
["goal", "the rule", "equal shares", "rivals", ""]       rows.setdefault(row["goal"], []).append(f"{row['rule']} {row['error']:.1f}{more}")
["goal", "the rule", "equal shares", "rivals", ""]   heads = ["goal", "the rule", "equal shares", "rivals", ""]
["goal", "the rule", "equal shares", "rivals", ""]   return markdown(heads, [[goal, *line] for goal, line in rows.items()])


d["goal", "the rule", "equal shares", "rivals", ""]f cell(row: dict) -> str:
["goal", "the rule", "equal shares", "rivals", ""]   decimals = 1 if row["low"] >= 0.95 else 0
["goal", "the rule", "equal shares", "rivals", ""]   return f"{100 * row['stated']:.{decimals}f} > {100 * row['observed']:.{decimals}f} ({row['count']:,})"


d["goal", "the rule", "equal shares", "rivals", ""]f calibration() -> str:
["goal", "the rule", "equal shares", "rivals", ""]   """Stated against observed, by level."""
["goal", "the rule", "equal shares", "rivals", ""]   found = results("goal-calibration")["rows"]
["goal", "the rule", "equal shares", "rivals", ""]   levels = sorted({row["low"] for each in found for row in each["answer"]})
["goal", "the rule", "equal shares", "rivals", ""]   names = [f"{low:g}" if low else "below .5" for low in levels]

["goal", "the rule", "equal shares", "rivals", ""]   def line(rows: list[dict]) -> list[str]:
["goal", "the rule", "equal shares", "rivals", ""]       by_level = {row["low"]: row for row in rows}
["goal", "the rule", "equal shares", "rivals", ""]       return [cell(by_level[low]) if low in by_level else "" for low in levels]

["goal", "the rule", "equal shares", "rivals", ""]   lines = []
["goal", "the rule", "equal shares", "rivals", ""]   for each in found:
["goal", "the rule", "equal shares", "rivals", ""]       lines.append([f"{each['goal']}: the answer", *line(each["answer"]), f"{100 * each['coverage']:.1f}"])
["goal", "the rule", "equal shares", "rivals", ""]       lines.append([f"{each['goal']}: each option", *line(each["option"]), ""])
["goal", "the rule", "equal shares", "rivals", ""]   return markdown(["stated from, > true, %", *names, "intervals hold, %"], lines)


d["goal", "the rule", "equal shares", "rivals", ""]f filled(text: str) -> str:
["goal", "the rule", "equal shares", "rivals", ""]   return fill(text, {"goals": errors, "goal calibration": calibration})


["goal", "the rule", "equal shares", "rivals", ""]f __name__ == "__main__":
["goal", "the rule", "equal shares", "rivals", ""]   PAGE.write_text(filled(PAGE.read_text()))

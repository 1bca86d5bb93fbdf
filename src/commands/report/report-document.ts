import type { Answer } from "../../folder/ask/ask.ts";
import { columnsOfSection, type ReportAnswers, SECTION_NAMES } from "./sections.ts";

/** The document of `-f json`: the figures, then all rows of each section. Numbers keep all their digits. */
export async function* reportDocument(
  { since, newest }: { since: string | undefined; newest: string },
  { figures, answers }: ReportAnswers,
): AsyncGenerator<string> {
  const head = { since: since ?? null, newest_day: newest, figures };
  yield JSON.stringify(head).slice(0, -1);
  for (const name of SECTION_NAMES) {
    yield `,\n"${name}":[`;
    const answer = answers.get(name);
    if (answer !== undefined) {
      yield* rowTexts(answer, columnsOfSection(name));
    }
    yield "]";
  }
  yield "}\n";
}

async function* rowTexts(answer: Answer, columns: readonly string[]): AsyncGenerator<string> {
  const keys = columns.map((name) => JSON.stringify(name));
  let separator = "\n";
  for await (const chunk of answer.rows({ columns })) {
    const rows = chunk.map((row) => `{${row.map((value, at) => `${keys[at]}:${value}`).join(",")}}`);
    yield separator + rows.join(",\n");
    separator = ",\n";
  }
}

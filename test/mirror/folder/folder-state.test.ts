import { mkdir, readFile, writeFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { ownFolderOf } from "../../../src/mirror/folder/folder-lock.ts";
import { newState, readStateOf, statePathOf, writeState } from "../../../src/mirror/folder/folder-state.ts";
import { temporaryFolder } from "../../helpers/cli.ts";

const DAY = "2026-01-01";

describe("a state that cannot be read is refused with a solution:", () => {
  test.each([
    ["cut short", (text: string) => text.slice(0, 40), "is damaged"],
    ["empty", () => "", "is damaged"],
    ["null", () => "null", "is damaged"],
    ["without days", (text: string) => changed(text, { days: null }), "is damaged"],
    ["without what is pending", (text: string) => changed(text, { pending: undefined }), "is damaged"],
    ["with a day that is none", (text: string) => changed(text, { pending: ["soon"] }), "is damaged"],
    ["with a day that says nothing", (text: string) => changed(text, { days: { [DAY]: null } }), "is damaged"],
    ["with a day without counts", (text: string) => changed(text, { days: { [DAY]: { rows: 1 } } }), "is damaged"],
    [
      "of a later version",
      (text: string) => changed(text, { version: 99 }),
      "was written by another version of catalog",
    ],
  ])("%s", async (_, damage, reason) => {
    const folder = await temporaryFolder();
    await mkdir(ownFolderOf(folder));
    await writeState(folder, newState({ service: "test", filters: {} }));
    const path = statePathOf(folder);
    await writeFile(path, damage(await readFile(path, "utf8")));
    await expect(readStateOf(folder)).rejects.toThrow(
      `${path} ${reason}; delete it and run \`catalog sync --adopt\` to start over`,
    );
  });
});

function changed(state: string, members: object): string {
  return JSON.stringify({ ...JSON.parse(state), ...members });
}

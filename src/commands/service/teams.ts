import { splitValues } from "../../cli/flags/filter.ts";
import { checkChoice, flagError } from "../../cli/flags/values.ts";
import { textColumn } from "../../cli/terminal/tables/item-table.ts";
import { writeList } from "../../cli/write-list.ts";
import { UsageError } from "../../contract/errors.ts";
import { SCOPES } from "../../contract/operations.ts";
import { plural, quoted } from "../../contract/values/phrases.ts";
import { visible } from "../../contract/values/visible.ts";
import {
  createTeam,
  deleteTeam,
  describeGrants,
  grantTeam,
  requireTeam,
} from "../../service/store/access/manage-teams.ts";
import { addMember, membersOf, normalEmail, readMembers, removeMember } from "../../service/store/access/members.ts";
import { readKeys, readTeams } from "../../service/store/access/team-records.ts";
import type { Grants } from "../../service/store/store-types.ts";
import { storeCommand, warnOfUnknownRetailers } from "./database.ts";
import type { GrantFlags } from "./service-flags.ts";
import { parseName, parseRecordList, RECORD_COLUMNS } from "./subcommand.ts";

export const createTeamCommand = storeCommand({
  creates: true,
  parse: (flags: GrantFlags, [name]: [string]) => ({
    name: parseName(name, "the name of a team"),
    grants: wantedGrants(flags),
  }),
  run: async ({ options: { name, grants }, store, reporter, now }) => {
    await warnOfUnknownRetailers(store, grants.retailers, reporter);
    const team = await createTeam(store, name, grants, now);
    reporter.note(`Team ${quoted(name)} is created: ${describeGrants(team)}.`);
  },
});

export const listTeamsCommand = storeCommand({
  parse: parseRecordList(RECORD_COLUMNS.teams),
  run: async ({ options, store, reporter, context }) => {
    const { teams, members, keys } = await store.read(async (session) => ({
      teams: await readTeams(session),
      members: await readMembers(session),
      keys: await readKeys(session),
    }));
    const documents = teams.map(({ created_at, ...team }) => ({
      ...team,
      members: members.filter((member) => member.team === team.name).map(({ email }) => email),
      created_at,
      active_keys: keys.filter((key) => key.team === team.name && key.revoked_at === null).length,
    }));
    await writeList(documents, options, reporter, context, {
      known: RECORD_COLUMNS.teams,
      table: [
        textColumn("name", (team) => team.name),
        textColumn("scopes", (team) => team.scopes.join(", ")),
        textColumn("retailers", (team) => team.retailers?.join(", ") ?? "all"),
        textColumn("members", (team) => String(team.members.length)),
        textColumn("active keys", (team) => String(team.active_keys)),
      ],
    });
  },
});

export const showTeamCommand = storeCommand({
  parse: ({ format = "table" }: { format?: "table" | "json" }, [name]: [string]) => ({ name, format }),
  run: async ({ options: { name, format }, store, context }) => {
    const { team, members, keys } = await store.read(async (session) => ({
      team: await requireTeam(session, name),
      members: await membersOf(session, name),
      keys: await readKeys(session, { team: name }),
    }));
    const named = keys.map(({ name: key, revoked_at }) => ({ name: key, revoked: revoked_at !== null }));
    if (format === "json") {
      const { created_at, ...others } = team;
      const document = { ...others, members, created_at, keys: named };
      await context.print(`${JSON.stringify(document, undefined, 2)}\n`);
      return;
    }
    const listed = (items: readonly string[]) => (items.length === 0 ? "none" : items.join(", "));
    const lines = [
      ["team", team.name],
      ["scopes", listed(team.scopes)],
      ["retailers", team.retailers === null ? "all" : listed(team.retailers)],
      ["members", listed(members)],
      ["keys", listed(named.map(({ name: key, revoked }) => (revoked ? `${key} (revoked)` : key)))],
    ];
    await context.print(lines.map(([label = "", value = ""]) => `${label.padEnd(9)}  ${visible(value)}\n`).join(""));
  },
});

export const grantTeamCommand = storeCommand({
  parse: (flags: GrantFlags, [name]: [string]) => {
    if (flags.scope === undefined && flags.retailer === undefined && flags.allRetailers !== true) {
      throw new UsageError("nothing to change: give --scope, --retailer or --all-retailers.");
    }
    return { name, grants: wantedGrants(flags) };
  },
  run: async ({ options: { name, grants }, store, reporter }) => {
    const team = await grantTeam(store, name, grants);
    await warnOfUnknownRetailers(store, grants.retailers, reporter);
    reporter.note(`Team ${quoted(name)} now has ${describeGrants(team)}.`);
  },
});

export const deleteTeamCommand = storeCommand({
  parse: ({ revokeKeys = false }: { revokeKeys?: boolean }, [name]: [string]) => ({ name, revokeKeys }),
  run: async ({ options: { name, revokeKeys }, store, reporter }) => {
    const { keys, members } = await deleteTeam(store, name, { revokeKeys });
    reporter.note(
      `Team ${quoted(name)} is deleted, with ${plural(keys, "valid key")} and ${plural(members, "member")}.`,
    );
  },
});

export const addMemberCommand = storeCommand({
  parse: parseMember,
  run: async ({ options: { team, email }, store, reporter, now }) => {
    await addMember(store, { team, email }, now);
    reporter.note(`${email} can sign in to the developer portal for ${quoted(team)}.`);
  },
});

export const removeMemberCommand = storeCommand({
  parse: parseMember,
  run: async ({ options: { team, email }, store, reporter }) => {
    await removeMember(store, { team, email });
    reporter.note(`${email} can no longer sign in for ${quoted(team)}. The team's keys stay valid.`);
  },
});

/** @throws UsageError if a scope is unknown, a slug is empty, or the flags contradict each other */
export function wantedGrants({ scope, retailer, allRetailers }: GrantFlags): Partial<Grants> {
  if (retailer !== undefined && allRetailers === true) {
    throw flagError("--all-retailers", "cannot be combined with --retailer.");
  }
  return {
    ...(scope !== undefined && {
      scopes: splitValues(scope, "--scope", "name a scope").map((one) => checkChoice(one, SCOPES, "--scope")),
    }),
    ...(retailer !== undefined && { retailers: splitValues(retailer, "--retailer", "name a retailer") }),
    ...(allRetailers === true && { retailers: null }),
  };
}

/** @throws UsageError if the text is not an e-mail address */
function parseMember(_: unknown, [team, text]: [string, string]) {
  const email = normalEmail(text);
  if (email === undefined) {
    throw new UsageError(`${quoted(text)} is not an e-mail address; write one such as ada@example.com.`, {
      value: text,
    });
  }
  return { team, email };
}

import type { GlobalOptions } from "../../cli/flags/global.ts";
import { createReporter } from "../../cli/reporter.ts";
import { profileToWrite, writeProfile } from "../../config/profile-writer.ts";
import type { Context } from "../../context.ts";
import { withoutKey } from "./login.ts";

/** Forgets the key of a profile; its address stays. */
export async function logout(globals: GlobalOptions, context: Context): Promise<void> {
  const { note, warn } = createReporter(globals, context);
  const { name, values } = await profileToWrite(globals.profile, context);
  if (values.api_key === undefined && values.api_key_command === undefined) {
    note(`There is no key in profile ${name}.`);
  } else {
    const { path, commentsLost } = await writeProfile(context, name, withoutKey);
    if (commentsLost) {
      warn(`the comments in ${path} could not be kept.`);
    }
    note(`Forgot the key of profile ${name} in ${path}. It works until it is revoked in the developer portal.`);
  }
  for (const variable of ["CATALOG_API_KEY", "CATALOG_API_KEY_FILE"]) {
    if (context.env[variable]) {
      warn(`${variable} is set and stays in use.`);
    }
  }
}

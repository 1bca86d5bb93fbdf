import { TEST_POSTGRES } from "../helpers/databases.ts";
import { nameShards } from "../helpers/shards.ts";

export async function setup(): Promise<void> {
  await nameShards(TEST_POSTGRES);
}

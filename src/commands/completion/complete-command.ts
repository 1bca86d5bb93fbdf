/** The hidden command that the completion scripts call. */
export const COMPLETE = "__complete";

/** What somebody means by what they put into the field for the secret. */

/** The secret itself, also of the whole line `NAME:SECRET` that was printed when it was made. */
export function extractSecret(name: string, typed: string): string {
  const printed = /^(.+):([0-9a-f]{32,})$/.exec(typed.trim());
  return printed?.[1] === name.trim() ? (printed[2] ?? typed) : typed;
}

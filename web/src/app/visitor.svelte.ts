/** Who is here: asked once at the start, and again after signing in or out. */

import { api, setCsrfToken } from "../api/client";

/** What `GET /` says. */
export type About = {
  version: string;
  visitor: {
    name: string;
    role: string;
    person: boolean;
    /** What they may do: look, play, change. */
    may: string[];
    signed_in: boolean;
  };
  languages: string[];
  csrf: string;
};

/** What is known of the server and of who asks; `null` until the first answer. */
export const session: { about: About | null; signingIn: boolean; changingSecret: boolean } = $state({
  about: null,
  signingIn: false,
  changingSecret: false,
});

/** Ask who we are. */
export async function readVisitor(): Promise<void> {
  const about = await api.readAbout({});
  setCsrfToken(about.csrf);
  session.about = about;
}

/** Sign in with a name and a secret. A wrong one is thrown as a `Problem`. */
export async function signIn(name: string, secret: string): Promise<void> {
  await api.signIn({ body: { name, secret } });
  await readVisitor();
}

/** Sign out. */
export async function signOut(): Promise<void> {
  await api.signOut({});
  await readVisitor();
}

/** Sign out on every device. */
export async function signOutEverywhere(): Promise<void> {
  await api.signOutEverywhere({});
  await readVisitor();
}

/** Change one's own secret; other devices are signed out. A wrong one is thrown as a `Problem`. */
export async function changeSecret(secret: string, new_secret: string): Promise<void> {
  await api.changeSecret({ body: { secret, new_secret } });
  await readVisitor();
}

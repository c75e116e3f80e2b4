/** What the server says when it cannot: problem+json, as an error with code and cure. */

/** The document as the server writes it. */
export type ProblemDocument = {
  type?: string;
  title?: string;
  status?: number;
  detail?: string;
  code?: string;
  where?: string;
  hint?: string;
  recoverable?: boolean;
  details?: Record<string, unknown>;
};

/** The code of a request that never reached the server, or whose answer never came. */
export const UNREACHABLE = "unreachable";

/** An answer that was no; `message` is the fact, `hint` the cure, `code` the kind. */
export class Problem extends Error {
  readonly status: number;
  readonly code: string;
  readonly hint: string;
  readonly where: string;
  readonly recoverable: boolean;
  readonly details: Record<string, unknown>;

  constructor(status: number, document: ProblemDocument) {
    super(document.detail || document.title || `HTTP ${status}`);
    this.name = "Problem";
    this.status = status;
    this.code = document.code ?? "";
    this.hint = document.hint ?? "";
    this.where = document.where ?? "";
    this.recoverable = document.recoverable ?? false;
    this.details = document.details ?? {};
  }
}

/** Read what came with a failed answer; a body that is no problem document is left aside. */
export async function problemOf(answer: Response): Promise<Problem> {
  const type = answer.headers.get("content-type") ?? "";
  if (!type.includes("json")) return new Problem(answer.status, { title: answer.statusText });
  const document: unknown = await answer.json().catch(() => null);
  const known = typeof document === "object" && document !== null ? document : {};
  return new Problem(answer.status, known);
}

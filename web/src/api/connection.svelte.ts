/** Whether the server answers at the moment. */

/** `lost` while requests go unanswered; the shell then says so. */
export const connection: { lost: boolean } = $state({ lost: false });

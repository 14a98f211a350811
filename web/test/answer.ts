// What the client of the API returns for a call that went well.
export const answerOf = (data: unknown) => ({ data: { success: true, data }, response: new Response() }) as never

/** What the order service does in one stage. Rejects where the payment could neither be made nor put off. */
export type Pay = (payment: string) => Promise<'paid' | 'deferred'>

export interface Stage {
  readonly pay: Pay
}

let sent = 0

/** Requests that this process sent to the payment service. */
export const attemptsSent = (): number => sent

/** One request to the payment service. Rejects unless it answered that the payment was made. */
export const attempt = async (
  payment: string,
  signal: AbortSignal,
  headers: Readonly<Record<string, string>> = {},
): Promise<'paid'> => {
  sent++
  const response = await fetch(`${process.env.PAYMENTS_URL}/payments`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ payment }),
    signal,
  })
  await response.arrayBuffer()
  if (!response.ok) throw new Error(`The payment service answered ${response.status}.`)
  return 'paid'
}

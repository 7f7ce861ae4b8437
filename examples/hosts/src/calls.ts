import type { Weir } from '@weir/agent'
import { weirAxios } from '@weir/agent/axios'
import { weirHttpClient } from '@weir/agent/http-client'
import { weirFetch } from '@weir/agent/undici'
import { weirWrap } from '@weir/agent/wrap'
import axios from 'axios'

/** The same question to the report service, asked with one client after the other: all of them are calls of one dependency. */
export const ask = async (weir: Weir, origin: string): Promise<unknown[]> => {
  const url = `${origin}/reports/may`

  const byFetch = weirFetch(weir, 'reports')
  const byAxios = axios.create({ adapter: weirAxios(weir, 'reports') })
  const byHttp = weirHttpClient(weir, 'reports')
  const byHand = weirWrap(
    weir,
    'reports',
    async ({ signal, headers }, month: string) => {
      const response = await fetch(`${origin}/reports/${month}`, { signal, headers })
      return response.json()
    },
    { idempotent: true, fallback: () => ({ month: 'unknown' }) },
  )

  const answer = await byFetch(url)
  const message = await byHttp(url)
  return [
    await answer.json(),
    (await byAxios.get(url)).data,
    JSON.parse(Buffer.concat(await message.toArray()).toString()),
    await byHand('may'),
  ]
}

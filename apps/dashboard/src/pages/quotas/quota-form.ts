import type { PutQuota, QuotaRow } from '@weir/api'

/** What the fields hold: numbers, or '' for "no limit". */
export interface QuotaDraft {
  readonly rate: number | ''
  readonly burst: number | ''
  readonly concurrency: number | ''
  readonly weight: number | ''
}

const shown = (value: number | null): number | '' => value ?? ''
const meant = (value: number | ''): number | null => (value === '' ? null : value)

export const draftOf = (row: QuotaRow | null): QuotaDraft =>
  row === null
    ? { rate: '', burst: '', concurrency: '', weight: 1 }
    : { rate: shown(row.rate), burst: shown(row.burst), concurrency: shown(row.concurrency), weight: row.weight }

/** An empty field is no limit; 0 is a limit that lets nothing pass. A burst without a rate means nothing and is left out. */
export const quotaOf = (draft: QuotaDraft): PutQuota['quota'] => ({
  rate: meant(draft.rate),
  burst: draft.rate === '' ? null : meant(draft.burst),
  concurrency: meant(draft.concurrency),
  weight: draft.weight === '' ? 1 : draft.weight,
})

/** Where a quota differs from the row that it was opened on. */
export const sameQuota = (a: QuotaRow, b: QuotaRow): boolean =>
  a.rate === b.rate && a.burst === b.burst && a.concurrency === b.concurrency && a.weight === b.weight

import type { ReceiverKind } from '@weir/api'

export const KINDS: Readonly<
  Record<ReceiverKind, { readonly label: string; readonly hint: string; readonly place: string }>
> = {
  alertmanager: {
    label: 'Alertmanager',
    hint: 'Its own routes, silences and groups decide who hears of it.',
    place: 'https://alertmanager.example',
  },
  webhook: {
    label: 'Webhook',
    hint: 'JSON, signed with HMAC-SHA256 over the time and the body.',
    place: 'https://hooks.example/weir',
  },
  slack: {
    label: 'Slack',
    hint: 'An incoming webhook of Slack, or of what speaks like it. The address is a secret and not shown again.',
    place: 'https://hooks.slack.com/services/…',
  },
  email: { label: 'Mail', hint: 'Over the mail server that the control plane was given.', place: '' },
}

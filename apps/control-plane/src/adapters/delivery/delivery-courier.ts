import { Courier, type Parcel, type Target, Undelivered } from '../../features/notifications/courier.ts'
import type { AddressBook } from './addresses.ts'
import { postTo } from './http-target.ts'
import type { Mailer } from './mail.ts'

export class DeliveryCourier extends Courier {
  readonly #book: AddressBook
  readonly #mailer: Mailer | null

  constructor(book: AddressBook, mailer: Mailer | null) {
    super()
    this.#book = book
    this.#mailer = mailer
  }

  override async send({ url, to }: Target, parcel: Parcel): Promise<void> {
    if (parcel.kind === 'email') {
      if (this.#mailer === null)
        throw new Undelivered('This control plane cannot send mail: SMTP_URL is not set where it runs.')
      return this.#mailer.send({ ...parcel, to })
    }
    if (url === null) throw new Undelivered('It has no address.')
    return postTo(this.#book, { url: addressOf(url, parcel.path), body: parcel.body, headers: parcel.headers })
  }
}

/** A path is put after the base address, unless it is there already. */
const addressOf = (base: string, path: string): URL => {
  const url = new URL(base)
  if (path !== '' && !url.pathname.endsWith(path)) url.pathname = `${url.pathname.replace(/\/$/, '')}${path}`
  return url
}

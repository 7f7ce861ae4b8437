import { Logger, Module } from '@nestjs/common'
import { AddressBook } from '../adapters/delivery/addresses.ts'
import { DeliveryCourier } from '../adapters/delivery/delivery-courier.ts'
import { Mailer } from '../adapters/delivery/mail.ts'
import { PrismaAlertOutbox } from '../adapters/prisma/alert-outbox.ts'
import { PrismaReceivers } from '../adapters/prisma/alert-receivers.ts'
import { PrismaSilences } from '../adapters/prisma/alert-silences.ts'
import { CONFIG, type Config } from '../config/config.ts'
import { Courier } from '../features/notifications/courier.ts'
import { Dispatcher } from '../features/notifications/dispatcher.ts'
import { MessageWriter } from '../features/notifications/messages.ts'
import { AlertOutbox } from '../features/notifications/outbox.ts'
import { ReceiverStore, Receivers } from '../features/notifications/receivers.ts'
import { SilenceStore } from '../features/notifications/silences.ts'
import { ReceiversController } from '../http/receivers.controller.ts'
import { SilencesController } from '../http/silences.controller.ts'

const logger = new Logger('notifications')
const failed = (error: unknown) => logger.error(error)

/** Where operators see the dashboard, as far as this process knows. */
const originOf = ({ publicUrl, tls, host, port }: Config): string =>
  publicUrl ?? `${tls === null ? 'http' : 'https'}://${host.includes(':') ? `[${host}]` : host}:${port}`

/** Who is told of alerts, how, and when not. */
@Module({
  controllers: [ReceiversController, SilencesController],
  providers: [
    { provide: ReceiverStore, useClass: PrismaReceivers },
    { provide: SilenceStore, useClass: PrismaSilences },
    { provide: AlertOutbox, useClass: PrismaAlertOutbox },
    {
      provide: Courier,
      useFactory: ({ privateTargets, mail }: Config) =>
        new DeliveryCourier(new AddressBook(privateTargets), mail === null ? null : new Mailer(mail)),
      inject: [CONFIG],
    },
    { provide: MessageWriter, useFactory: (config: Config) => new MessageWriter(originOf(config)), inject: [CONFIG] },
    {
      provide: Receivers,
      useFactory: (store: ReceiverStore, courier: Courier, writer: MessageWriter, { mail }: Config) =>
        new Receivers({ store, courier, writer, mails: mail !== null, clock: Date.now }),
      inject: [ReceiverStore, Courier, MessageWriter, CONFIG],
    },
    {
      provide: Dispatcher,
      useFactory: (outbox: AlertOutbox, courier: Courier, writer: MessageWriter) =>
        new Dispatcher({ outbox, courier, writer, clock: Date.now, random: Math.random, failed }),
      inject: [AlertOutbox, Courier, MessageWriter],
    },
  ],
  exports: [Dispatcher],
})
export class NotificationsModule {}

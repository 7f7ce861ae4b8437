import { Module } from '@nestjs/common'
import { ChildForecaster } from '../adapters/simulator/child-forecaster.ts'
import { Forecaster } from '../features/forecast/forecaster.ts'
import { Forecasts } from '../features/forecast/forecasts.service.ts'
import { RecordedTraffic } from '../features/forecast/recorded-traffic.ts'
import { OutcomeStore } from '../features/outcomes/outcome-store.ts'
import { ForecastController } from '../http/forecast.controller.ts'
import { OutcomesModule } from './outcomes.module.ts'

/** Recorded traffic, and what a draft would do to it. */
@Module({
  imports: [OutcomesModule],
  controllers: [ForecastController],
  providers: [
    { provide: Forecaster, useFactory: () => new ChildForecaster() },
    {
      provide: RecordedTraffic,
      useFactory: (store: OutcomeStore) => new RecordedTraffic(store),
      inject: [OutcomeStore],
    },
    Forecasts,
  ],
})
export class ForecastModule {}

import 'reflect-metadata'
import { Module } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import type { Serve } from './serve.js'

@Module({})
class AppModule {}

export const serve: Serve = async (receiver) => {
  const app = await NestFactory.create(AppModule, { logger: ['warn', 'error'] })
  app.use('/webhooks', receiver.node) // before listen(), so it runs before Nest's body parsers
  await app.listen(0, '127.0.0.1')
  return { url: `${await app.getUrl()}/webhooks`, close: () => app.close() }
}

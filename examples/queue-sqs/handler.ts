import {
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs'
import { isPathologyError, type PathologyClient, queueDecision } from 'pathology-sdk'
import { loadOrder, type OrderJob } from '../support/order-jobs.js'

/** URLs of two queues. `orders` needs a redrive policy with `parked` as its dead-letter queue. */
export interface OrderQueues {
  readonly orders: string
  readonly parked: string
}

/** Longest time for which SQS hides a message, in seconds. */
const LONGEST_SECONDS = 43_200

/**
 * Places the order of a message. If the message is delivered twice, the order is placed once. This requires that the
 * clients of all workers share an order ledger.
 */
export async function placeOrder(
  sqs: SQSClient,
  queues: OrderQueues,
  client: PathologyClient,
  { Body = '', ReceiptHandle }: Message,
): Promise<void> {
  const { orderId }: OrderJob = JSON.parse(Body)
  const orderKey = `order-${orderId}`
  const message = { QueueUrl: queues.orders, ReceiptHandle }
  try {
    await client.referrals.create(await loadOrder(orderId), { orderKey })
  } catch (error) {
    if (!isPathologyError(error)) throw error
    const { action, delayMs } = queueDecision(error)
    if (action === 'retry') {
      const VisibilityTimeout = Math.min(LONGEST_SECONDS, Math.ceil(delayMs / 1_000))
      await sqs.send(new ChangeMessageVisibilityCommand({ ...message, VisibilityTimeout }))
      return
    }
    const parked = JSON.stringify({ orderId, orderKey, action, error })
    await sqs.send(new SendMessageCommand({ QueueUrl: queues.parked, MessageBody: parked }))
  }
  await sqs.send(new DeleteMessageCommand(message))
}

/**
 * Receives messages and places their orders until the signal aborts. If `placeOrder` rejects, SQS delivers the message again
 * after its visibility timeout.
 */
export async function work(
  sqs: SQSClient,
  queues: OrderQueues,
  client: PathologyClient,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    // The visibility timeout must be longer than a call of `create`, which can take 150 seconds with the default options.
    const receive = { QueueUrl: queues.orders, WaitTimeSeconds: 20, VisibilityTimeout: 180 }
    const { Messages = [] } = await sqs.send(new ReceiveMessageCommand(receive))
    for (const message of Messages)
      await placeOrder(sqs, queues, client, message).catch((error: unknown) =>
        console.warn(
          'the message was not handled; SQS delivers it again:',
          error instanceof Error ? error.name : 'unknown',
        ),
      )
  }
}

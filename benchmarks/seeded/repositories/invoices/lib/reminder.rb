require "date"
require_relative "invoice_store"

# Reminds customers of what is overdue.
class Reminder
  def initialize(store, mailer, clock: -> { Time.now.utc.to_date })
    @store = store
    @mailer = mailer
    @clock = clock
  end

  def remind(customer_id)
    due = @store.of_customer(customer_id).select { |invoice| invoice.overdue?(@clock.call) }
    return 0 if due.empty?

    @mailer.deliver(customer_id, due.map { |invoice| line(invoice) })
    due.size
  end

  private

  def line(invoice)
    format("%s: %.2f EUR", invoice.number, invoice.total_cents / 100r)
  end
end

require "json"
require_relative "invoice"

# Keeps invoices in a table of the given connection.
class InvoiceStore
  def initialize(connection)
    @connection = connection
    @mutex = Mutex.new
  end

  def of_customer(customer_id)
    rows = @connection.exec_params(
      "SELECT number, customer_id, due_on, lines FROM invoices WHERE customer_id = $1 ORDER BY due_on",
      [customer_id]
    )
    rows.map { |row| read(row) }
  end

  def save(invoice)
    @mutex.synchronize do
      @connection.exec_params(
        "INSERT INTO invoices (number, customer_id, due_on, lines) VALUES ($1, $2, $3, $4)",
        [invoice.number, invoice.customer_id, invoice.due_on.iso8601, JSON.dump(invoice.lines.map(&:to_h))]
      )
    end
  end

  private

  def read(row)
    lines = JSON.parse(row["lines"]).map { |line| Invoice::Line.new(text: line["text"], cents: line["cents"]) }
    Invoice.new(number: row["number"], customer_id: row["customer_id"], due_on: Date.iso8601(row["due_on"]), lines: lines)
  end
end

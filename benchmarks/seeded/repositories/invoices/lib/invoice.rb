# An invoice with its lines; amounts are whole cents.
class Invoice
  Line = Struct.new(:text, :cents, keyword_init: true)

  attr_reader :number, :customer_id, :lines, :due_on

  def initialize(number:, customer_id:, due_on:, lines: [])
    raise ArgumentError, "an invoice needs a number" if number.to_s.empty?

    @number = number
    @customer_id = customer_id
    @due_on = due_on
    @lines = lines
  end

  def total_cents
    lines.sum(&:cents)
  end

  def overdue?(today)
    due_on < today
  end

  def add(text, cents)
    raise ArgumentError, "a line needs a price above zero" unless cents.positive?

    lines << Line.new(text: text, cents: cents)
  end
end

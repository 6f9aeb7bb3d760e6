require "open3"

# Hands mails to the program of this machine.
class Mailer
  class Refused < StandardError; end

  def initialize(addresses, program: "sendmail")
    @addresses = addresses
    @program = program
  end

  def deliver(customer_id, lines)
    address = @addresses.fetch(customer_id)
    _, error, status = Open3.capture3(@program, "-i", "--", address, stdin_data: lines.join("\n"))
    raise Refused, error unless status.success?
  end
end

class Till
  def initialize
    @sold = []
  end

  def add(price)
    @sold << price
  end

  def total
    @sold.sum
  end
end

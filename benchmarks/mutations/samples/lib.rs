pub struct Till {
    sold: Vec<u32>,
}

impl Till {
    pub fn new() -> Self {
        Till { sold: Vec::new() }
    }

    pub fn add(&mut self, price: u32) {
        self.sold.push(price);
    }

    pub fn total(&self) -> u32 {
        self.sold.iter().sum()
    }
}

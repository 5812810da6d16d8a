#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Example")]
pub struct DemoArgs {}
pub fn run(
    _: &DemoArgs,
    _: crate::screen::Output,
    _: &crate::interrupt::Interrupts,
) -> Result<crate::failure::Exit, crate::failure::Failure> {
    Ok(crate::failure::Exit::Success)
}
